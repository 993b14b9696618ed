import type { RedisAddress } from '#shared/redis/connection.ts';

export interface RedisSettings {
  readonly redisInsecure: boolean;
  readonly redisCaFile?: string;
}

/** The address of Redis from a process's settings. */
export function redisAddressOf(
  url: string,
  { redisInsecure: insecure, redisCaFile: caFile }: RedisSettings,
): RedisAddress {
  return { url, insecure, ...(caFile === undefined ? {} : { caFile }) };
}
