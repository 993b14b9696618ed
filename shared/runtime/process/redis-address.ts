import type { RedisAddress } from '#shared/redis/connection.ts';

export interface RedisSettings {
  readonly redisInsecure: boolean;
  readonly redisCaFile?: string;
}

/** Where Redis is, as the settings of a process say it. */
export function redisAddressOf(
  url: string,
  { redisInsecure: insecure, redisCaFile: caFile }: RedisSettings,
): RedisAddress {
  return { url, insecure, ...(caFile === undefined ? {} : { caFile }) };
}
