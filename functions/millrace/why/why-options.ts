import type { ReadOptions } from '../open-cluster.ts';

export interface WhyOptions extends ReadOptions {
  readonly all?: boolean;
  readonly output?: 'text' | 'json';
  readonly redis?: string;
  readonly redisInsecure?: boolean;
}
