import type { ClusterOptions } from './install-options.ts';

export interface DoctorOptions extends ClusterOptions {
  readonly cluster?: boolean;
  readonly redis?: string;
  readonly redisInsecure?: boolean;
  readonly output?: 'text' | 'json';
}
