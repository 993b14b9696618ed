/** The other entrance: the structure of the API server's own kinds alone, without the sandbox that serves them. */
export { builtinSchema } from './registry/builtin-schemas.ts';
