import type { Clock } from '#shared/domain/clock.ts';

export const systemClock: Clock = { now: () => Date.now() };
