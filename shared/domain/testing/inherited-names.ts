/** Names that users may choose and that every object inherits. */
export const inheritedNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty'] as const;
