import Type from 'typebox';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';
import { kueueSettings } from './kueue-settings.ts';

export const suspendAdmissionConfiguration = Type.Object({
  ...admissionSettings,
  ...kueueSettings,
});
