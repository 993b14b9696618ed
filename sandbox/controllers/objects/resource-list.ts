/** v1.ResourceList: quantities by the name of the resource. */
export type ResourceList = Readonly<Record<string, string | number>>;
