import Type from 'typebox';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';
import { kueueSettings } from '#shared/kueue/kueue-settings.ts';

export const suspendAdmissionConfiguration = Type.Object({
  ...admissionSettings,
  ...kueueSettings,
});
