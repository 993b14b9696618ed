import type { Redis } from 'ioredis';
import { ownMember } from '#shared/domain/own-member.ts';

export interface RedisScript {
  readonly name: string;
  readonly lua: string;
  /** Absent: the first argument of a call is the number of keys that follow. */
  readonly numberOfKeys?: number;
}

export type RunScript = (...args: readonly (string | number)[]) => Promise<unknown>;

/** Registers a Lua script. A call sends its hash, or its text if the server does not know it. */
export function defineScript(redis: Redis, { name, lua, numberOfKeys }: RedisScript): RunScript {
  redis.defineCommand(name, numberOfKeys === undefined ? { lua } : { lua, numberOfKeys });
  // The client gets a method of that name, which is not in its type.
  const commands = redis as unknown as Readonly<Record<string, RunScript>>;
  return (...args) => {
    const run = ownMember(commands, name);
    if (run === undefined) throw new Error(`the script ${name} is not defined`);
    return run.call(redis, ...args);
  };
}
