import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';

/** The error for a field with a password that is not that of the person. */
export const wrongPassword = (field: 'current' | 'password') =>
  fieldError('invalid_credentials', field, fieldProblem('wrong_password'), { message: 'The password is wrong.' });
