/**
 * What a process may do in Redis, declared beside the code that does it: the users of Redis are rendered
 * from it as the Roles of the cluster are from access rules. Pure.
 */

/** Commands on certain keys, and on these together: a user that may read some keys may not write others. */
export interface RedisGrant {
  /** Names or glob patterns of keys, without what all keys of a cluster begin with. None: the commands take no key. */
  readonly keys: readonly string[];
  /** In lower case; a subcommand behind a bar. */
  readonly commands: readonly string[];
}

/** What calls of a script need beside what it does itself: by its hash, or by its text the first time. */
export const calling = ['evalsha', 'eval'] as const;

/** What every connection says of itself and asks of the server; the journal learns of a loss by it. */
const connecting: RedisGrant = {
  keys: [],
  commands: ['info', 'client|setname'],
};

/** A call with its command written out, as in `redis.call('SET'` or BullMQ's `rcall("SET"`. */
const namedCommand = /\w\(\s*(['"])([A-Z]{3,})\1(?:,\s*(['"])([A-Z]+)\3)?/g;

/** Of these the server grants subcommands. */
const containers: readonly string[] = ['XINFO'];

/**
 * The commands that Lua texts name. Redis asks for the right to each of them when a script comes to it, in
 * the middle of what the script does: so all of them are granted, however seldom one is reached.
 */
export function commandsOf(...texts: readonly string[]): readonly string[] {
  const named = texts.flatMap((text) =>
    [...text.matchAll(namedCommand)].map(([, , command = '', , sub]) =>
      containers.includes(command) && sub !== undefined ? `${command}|${sub}` : command,
    ),
  );
  return [...new Set(named.map((each) => each.toLowerCase()))].toSorted();
}

/** The rules of a user who may do this and nothing else, as Redis 7 reads them in ACL SETUSER and in its files. */
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
