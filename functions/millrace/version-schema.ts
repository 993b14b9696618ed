/** The shape of `millrace version -o json`. */
import Type from 'typebox';
import { text } from './output-fields.ts';

export const versionSchema = Type.Object(
  { version: text('Of Millrace.'), node: text('Of the Node that runs it.') },
  { description: 'Versions.' },
);
