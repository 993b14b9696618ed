import Type from 'typebox';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';
import { policySetting } from '#shared/runtime/process/policy-setting.ts';

export const flowAdmissionConfiguration = Type.Object({ ...admissionSettings, ...policySetting });
