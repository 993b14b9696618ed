/** Paths as the API server writes them in causes; the empty path is the object itself. */

/** A declared field: `spec.name`. */
export function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A key of a map: `spec.labels[team]`. */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}

/** An item of a list: `spec.flows[0]`. */
export function index(path: string, position: number): string {
  return `${path}[${position}]`;
}
