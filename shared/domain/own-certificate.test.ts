import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createOwnCertificate } from './own-certificate.ts';

const nowMs = Date.parse('2026-11-22T03:04:05Z');

it('is for loopback only, signed with its own key, and valid for a year', () => {
  const { cert, key } = createOwnCertificate(nowMs);
  const read = new X509Certificate(cert);
  expect(read.subject).toBe('CN=millrace');
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.ca).toBe(true);
  expect(read.subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  );
  expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(read.checkHost('localhost')).toBe('localhost');
  expect(read.checkHost('example.org')).toBeUndefined();
  expect(read.validFromDate.toISOString()).toBe('2026-11-22T02:04:05.000Z');
  expect(read.validToDate.toISOString()).toBe('2027-11-22T03:04:05.000Z');
  expect(key).toContain('BEGIN PRIVATE KEY');
});

it('is another one each time, always well formed', () => {
  const serials = Array.from({ length: 50 }, () => {
    const read = new X509Certificate(createOwnCertificate(nowMs).cert);
    expect(read.verify(read.publicKey)).toBe(true);
    return read.serialNumber;
  });
  expect(new Set(serials).size).toBe(serials.length);
});
