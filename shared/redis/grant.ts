/**
 * A process's rights in Redis, declared beside the code that needs them. Redis users are rendered from them, as Roles
 * are from access rules. Pure.
 */

/** Commands on certain keys. Each grant is separate: a user that may read some keys may not write others. */
export interface RedisGrant {
  /** Names or glob patterns of keys, without the cluster's prefix. Empty: the commands take no key. */
  readonly keys: readonly string[];
  /** In lower case, with a subcommand after a bar. */
  readonly commands: readonly string[];
}

/** Rights to call a script by its hash, or by its text the first time, beside those of its own commands. */
export const calling = ['evalsha', 'eval'] as const;

/** Commands that every connection sends to the server first. The journal notices a loss by them. */
const connecting: RedisGrant = {
  keys: [],
  commands: ['info', 'client|setname'],
};

/** A call with a literal command, as in `redis.call('SET'` or BullMQ's `rcall("SET"`. */
const namedCommand = /\w\(\s*(['"])([A-Z]{3,})\1(?:,\s*(['"])([A-Z]+)\3)?/g;

/** Commands whose subcommands are granted. */
const containers: readonly string[] = ['XINFO'];

/**
 * The commands in Lua texts. Redis checks the right to each command when a script reaches it, half way through its
 * work. So all of them are granted, however rarely they are reached.
 */
export function commandsOf(...texts: readonly string[]): readonly string[] {
  const named = texts.flatMap((text) =>
    [...text.matchAll(namedCommand)].map(([, , command = '', , sub]) =>
      containers.includes(command) && sub !== undefined ? `${command}|${sub}` : command,
    ),
  );
  return [...new Set(named.map((each) => each.toLowerCase()))].toSorted();
}

/** The ACL rules of a user with exactly these grants, for ACL SETUSER and ACL files of Redis 7. */
export function aclRules(grants: readonly RedisGrant[], prefix: string): readonly string[] {
  const permitted = (commands: readonly string[]) => commands.map((each) => `+${each}`);
  const [keyless, keyed] = [[], []] as [RedisGrant[], RedisGrant[]];
  for (const grant of [connecting, ...grants])
    (grant.keys.length === 0 ? keyless : keyed).push(grant);
  const selectors = keyed.map(({ keys, commands }) => {
    const patterns = keys.map((key) => `~${prefix}:${key}`);
    return `(${[...patterns, ...permitted(commands)].join(' ')})`;
  });
  const anywhere = new Set(keyless.flatMap(({ commands }) => commands));
  return ['resetchannels', ...permitted([...anywhere]), ...selectors];
}
