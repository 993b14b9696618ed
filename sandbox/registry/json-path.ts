/** The JSONPath subset of printer columns, scale paths and selectable fields. */

const all = Symbol('all');

type Step = string | number | typeof all | Filter;

interface Filter {
  readonly path: readonly Step[];
  readonly equals: unknown;
}

const parsed = new Map<string, readonly Step[]>();

/** All values at the path, which starts with a dot: `.status.conditions[?(@.type=="Ready")].status`. */
export function valuesAt(object: unknown, path: string): readonly unknown[] {
  let steps = parsed.get(path);
  if (steps === undefined) {
    steps = parse(path);
    parsed.set(path, steps);
  }
  return follow([object], steps);
}

function parse(path: string): readonly Step[] {
  const steps: Step[] = [];
  const pattern =
    /\.?\[\?\(@((?:\.[\w-]+|\['[^']*'\])+)\s*==\s*("[^"]*"|'[^']*'|[\w.-]+)\)\]|\[\s*['"]([^'"]*)['"]\s*\]|\[(-?\d+|\*)\]|\.((?:\\.|[^.[\]\\])+)/gy;
  let place = 0;
  for (let found = pattern.exec(path); found !== null; found = pattern.exec(path)) {
    place = pattern.lastIndex;
    const [, filterPath, value, quoted, index, name] = found;
    if (filterPath !== undefined && value !== undefined) {
      steps.push({ path: parse(filterPath), equals: literal(value) });
    } else if (quoted !== undefined) steps.push(quoted);
    else if (index !== undefined) steps.push(index === '*' ? all : Number(index));
    else if (name !== undefined) steps.push(name.replaceAll(/\\(.)/g, '$1'));
  }
  // A path that cannot be parsed finds nothing, as a wrong column does in kubectl.
  return place === path.length ? steps : [{ path: [], equals: Symbol('nothing') }];
}

function literal(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number(text);
}

function follow(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  let found = values;
  for (const step of steps) found = found.flatMap((value) => next(value, step));
  return found;
}

function next(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof step === 'object') {
    return elements(value).filter((element) => follow([element], step.path)[0] === step.equals);
  }
  if (step === all) return elements(value);
  const key =
    typeof step === 'number' && step < 0 && Array.isArray(value) ? value.length + step : step;
  const member = (value as Readonly<Record<string | number, unknown>>)[key];
  return member === undefined ? [] : [member];
}

function elements(value: object): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value);
}
