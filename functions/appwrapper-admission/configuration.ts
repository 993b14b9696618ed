import Type from 'typebox';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';
import { wrapperSettings } from './wrapper-settings.ts';

export const wrapperAdmissionConfiguration = Type.Object({
  ...admissionSettings,
  ...wrapperSettings,
});
