/**
 * Returns a sentence that an Xcode cannot be selected, with the versions that can.
 *
 * @param where e.g. `on the tier m4`
 * @example xcodeMessage('9.0', [], 'on the tier m4') // 'Xcode 9.0 cannot be selected on the tier m4, which offers none.'
 */
export function xcodeMessage(xcode: string, options: readonly string[], where: string): string {
  const offer = options.length === 0 ? ', which offers none' : `; choose one of ${options.join(', ')}`;
  return `Xcode ${xcode} cannot be selected ${where}${offer}.`;
}
