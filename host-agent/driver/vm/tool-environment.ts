// The environment of the tools for virtual machines: only the agent's variables that they need.

const PASSED = /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|LANG|LC_[A-Z]+|DOCKER_CONFIG|TART_REGISTRY_[A-Z]+)$/;

/** @param set variables of the tool itself */
export function toolEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && PASSED.test(name)) passed[name] = value;
  }
  return { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', ...passed, ...set };
}
