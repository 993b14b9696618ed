/**
 * The fields of Kubernetes 1.36 directly inside an object that is passed on whole. They are declared
 * for CEL's comparisons. CEL compares a declared field by presence and value, but an undeclared one
 * only if both sides have it. Renaming `emptyDir` to `ephemeral` would otherwise count as no change
 * (apiserver pkg/cel/common, unstructuredMap.Equal). An `object` field has any shape.
 */

export type FieldType = 'string' | 'boolean' | 'integer' | 'object';
export type FieldTypes = Readonly<Partial<Record<FieldType, readonly string[]>>>;

/** core/v1 VolumeSource. */
export const volumeSources: FieldTypes = {
  object: [
    'awsElasticBlockStore',
    'azureDisk',
    'azureFile',
    'cephfs',
    'cinder',
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'fc',
    'flexVolume',
    'flocker',
    'gcePersistentDisk',
    'gitRepo',
    'glusterfs',
    'hostPath',
    'image',
    'iscsi',
    'nfs',
    'persistentVolumeClaim',
    'photonPersistentDisk',
    'portworxVolume',
    'projected',
    'quobyte',
    'rbd',
    'scaleIO',
    'secret',
    'storageos',
    'vsphereVolume',
  ],
};

/** core/v1 VolumeMount without `name` and `mountPath`. */
export const volumeMountFields: FieldTypes = {
  string: ['mountPropagation', 'recursiveReadOnly', 'subPath', 'subPathExpr'],
  boolean: ['readOnly'],
};

/** core/v1 EnvVarSource. */
export const envVarSources: FieldTypes = {
  object: ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef'],
};

/** metav1 ObjectMeta of a Pod template, without labels and annotations. */
export const templateMetadataFields: FieldTypes = {
  string: ['generateName', 'name', 'namespace'],
  object: ['finalizers'],
};

/** batch/v1 JobSpec without `template` and the fields in preserved.ts. */
export const jobSpecFields: FieldTypes = {
  string: ['managedBy', 'podReplacementPolicy'],
  boolean: ['manualSelector'],
  object: ['podFailurePolicy', 'selector', 'successPolicy'],
};
