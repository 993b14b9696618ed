/** Parts of timestamps, in a time zone if one is named, and of durations (cel-spec, langdef). */
import { CelFault, noSuchOverload } from './cel-fault.ts';
import { Duration, Timestamp, type CelValue } from './cel-value.ts';
import { split } from './time-text.ts';

const day = 86_400_000;

/** A part of the date and time at a place, given as a Date whose UTC fields are the local ones. */
type Part = (local: Date) => number;

export const timeParts: Readonly<Record<string, (value: CelValue, zone?: CelValue) => CelValue>> = {
  getFullYear: ofTime((local) => local.getUTCFullYear()),
  getMonth: ofTime((local) => local.getUTCMonth()),
  getDate: ofTime((local) => local.getUTCDate()),
  getDayOfMonth: ofTime((local) => local.getUTCDate() - 1),
  getDayOfWeek: ofTime((local) => local.getUTCDay()),
  getDayOfYear: ofTime((local) =>
    Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / day),
  ),
  getHours: ofBoth((local) => local.getUTCHours(), 3_600_000_000_000n),
  getMinutes: ofBoth((local) => local.getUTCMinutes(), 60_000_000_000n),
  getSeconds: ofBoth((local) => local.getUTCSeconds(), 1_000_000_000n),
  getMilliseconds: ofBoth((local) => local.getUTCMilliseconds(), 1_000_000n),
};

function ofTime(part: Part): (value: CelValue, zone?: CelValue) => CelValue {
  return (value, zone) => {
    if (value instanceof Timestamp) return BigInt(part(localTime(value, zone)));
    throw noSuchOverload();
  };
}

/** A duration answers its whole length in the unit. */
function ofBoth(part: Part, unit: bigint): (value: CelValue, zone?: CelValue) => CelValue {
  const time = ofTime(part);
  return (value, zone) => (value instanceof Duration ? value.ns / unit : time(value, zone));
}

function localTime({ ns }: Timestamp, zone: CelValue | undefined): Date {
  const ms = Number(split(ns, 1_000_000n)[0]);
  if (zone === undefined) return new Date(ms);
  if (typeof zone !== 'string') throw noSuchOverload();
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset) {
    const [, sign, hours, minutes] = offset;
    const shift = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return new Date(sign === '-' ? ms - shift : ms + shift);
  }
  return new Date(ms + zoneShift(ms, zone));
}

function zoneShift(ms: number, zone: string): number {
  let name: string | undefined;
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  } catch {
    throw new CelFault(`unknown time zone ${zone}`);
  }
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name ?? '') ?? [];
  const shift = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -shift : shift;
}
