import { StatusError } from '../status-error.ts';

/** The StatusError that `act` throws. */
export function refusal(act: () => unknown): StatusError {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
