/** Kinds that are stored as they are sent. */
import { plain, type Strategy } from '../strategy.ts';

export const serviceAccount: Strategy = { ...plain, answersDeleted: true };
