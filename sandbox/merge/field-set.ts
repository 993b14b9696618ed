/**
 * Sets of field paths in the form the API shows them (metav1.FieldsV1): a tree whose names are path
 * elements, `f:name`, `k:{...}` and `v:...`. A node is a member of the set when it is empty or has a
 * `.`. Sets are never changed: an operation that changes nothing returns its first operand, and
 * untouched branches are shared. The order of elements says nothing.
 * Rules: fieldpath/set.go and serialize.go of structured-merge-diff.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

const self = '.';
/** The empty set. */
export const nothing: FieldSet = Object.freeze({});
/** A node without children, which is a member. */
export const leaf: FieldSet = Object.freeze({});

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmpty(node);
}

/** The members of either set. */
export function union(set: FieldSet, other: FieldSet): FieldSet {
  return unionOf(set, other, false, false);
}

function unionOf(left: FieldSet, right: FieldSet, wasMember: boolean, member: boolean): FieldSet {
  if (left === right) return left;
  let children: Record<string, FieldSet> | undefined;
  for (const element in right) {
    if (element === self) continue;
    const mine = left[element];
    const theirs = right[element] ?? leaf;
    const both = mine === undefined ? theirs : unionNodes(mine, theirs);
    if (both !== mine) (children ??= childrenOf(left))[element] = both;
  }
  if (children === undefined && wasMember === member) return left;
  return node(member, children ?? childrenOf(left));
}

function unionNodes(left: FieldSet, right: FieldSet): FieldSet {
  const wasMember = isMember(left);
  return unionOf(left, right, wasMember, wasMember || isMember(right));
}

/** The members of `set` that are not in `other`. A member stays if only its parent is in `other`. */
export function difference(set: FieldSet, other: FieldSet): FieldSet {
  return differenceOf(set, other, false, false) ?? nothing;
}

function differenceOf(
  left: FieldSet,
  right: FieldSet,
  wasMember: boolean,
  member: boolean,
): FieldSet | undefined {
  let changes: Changes | undefined;
  for (const element in right) {
    const mine = left[element];
    if (element === self || mine === undefined) continue;
    const rest = differenceNodes(mine, right[element] ?? leaf);
    if (rest !== mine) (changes ??= new Map()).set(element, rest);
  }
  if (changes === undefined && wasMember === member) return left;
  return nodeOrNothing(member, childrenOf(left, changes));
}

function differenceNodes(left: FieldSet, right: FieldSet): FieldSet | undefined {
  const wasMember = isMember(left);
  return differenceOf(left, right, wasMember, wasMember && !isMember(right));
}

/** The members that both sets have. */
export function intersection(set: FieldSet, other: FieldSet): FieldSet {
  return intersectionOf(set, other, false) ?? nothing;
}

function intersectionOf(left: FieldSet, right: FieldSet, member: boolean): FieldSet | undefined {
  const children: Record<string, FieldSet> = {};
  for (const element in left) {
    const theirs = right[element];
    if (element === self || theirs === undefined) continue;
    const mine = left[element] ?? leaf;
    const both = intersectionOf(mine, theirs, isMember(mine) && isMember(theirs));
    if (both !== undefined) children[element] = both;
  }
  return nodeOrNothing(member, children);
}

/** The set without the field at `path` and everything below it. */
export function without(set: FieldSet, path: readonly string[]): FieldSet {
  return withoutBelow(set, path, 0) ?? nothing;
}

function withoutBelow(set: FieldSet, path: readonly string[], depth: number): FieldSet | undefined {
  const element = path[depth] ?? self;
  const child = set[element];
  if (child === undefined) return set;
  const rest = depth === path.length - 1 ? undefined : withoutBelow(child, path, depth + 1);
  if (rest === child) return set;
  const children = childrenOf(set, new Map([[element, rest]]));
  return nodeOrNothing(depth > 0 && isMember(set), children);
}

/** A node with these children, of which none is `.`. A member gets one. */
export function node(member: boolean, children: FieldSet): FieldSet {
  if (!member) return children;
  return isEmpty(children) ? leaf : { [self]: leaf, ...children };
}

/** Undefined: neither a member nor above one. */
export function nodeOrNothing(member: boolean, children: FieldSet): FieldSet | undefined {
  if (isEmpty(children)) return member ? leaf : undefined;
  return node(member, children);
}

/** Changed children by element. Undefined: the child is removed. */
type Changes = Map<string, FieldSet | undefined>;

/** The changed children without a `.`, in a new object without holes, which is fast to read. */
function childrenOf(branch: FieldSet, changes?: Changes): Record<string, FieldSet> {
  const children: Record<string, FieldSet> = {};
  for (const element in branch) {
    if (element === self) continue;
    const child = changes?.has(element) === true ? changes.get(element) : branch[element];
    if (child !== undefined) children[element] = child;
  }
  return children;
}

/** The path of every member. The members of a level come before those below them. */
export function pathsOf(set: FieldSet): readonly (readonly string[])[] {
  const paths: string[][] = [];
  const walk = (branch: FieldSet, prefix: readonly string[]): void => {
    const elements = Object.keys(branch)
      .filter((element) => element !== self)
      .sort();
    for (const element of elements) {
      if (isMember(branch[element] ?? leaf)) paths.push([...prefix, element]);
    }
    for (const element of elements) walk(branch[element] ?? leaf, [...prefix, element]);
  };
  walk(set, []);
  return paths;
}

/** The form of a path in messages: `.spec.list[name="a"].set[="b"]`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

function elementText(element: string): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'v':
      return `[=${content}]`;
    case 'k': {
      const keys = Object.entries(JSON.parse(content) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    }
    default:
      return `[${content}]`;
  }
}
