import Type from 'typebox';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';
import { policySetting } from '#shared/runtime/process/policy-setting.ts';
import { wrapperSettings } from './wrapper-settings.ts';

export const wrapperAdmissionConfiguration = Type.Object({
  ...admissionSettings,
  ...policySetting,
  ...wrapperSettings,
});
