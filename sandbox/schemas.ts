/** The other entrance: the schemas of the built-in kinds alone, without the sandbox that serves them. */
export { builtinSchema } from './registry/builtin-schemas.ts';
