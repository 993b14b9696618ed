import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout, or of the package that npm has installed. */
export const packageRoot = dirname(fileURLToPath(import.meta.resolve('#package.json')));
