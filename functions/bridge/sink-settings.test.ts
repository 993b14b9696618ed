import { expect, it } from 'vitest';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { readConfiguration } from '#shared/runtime/process/configuration.ts';
import { configuration } from './configuration.ts';
import { sinksOf } from './sink-settings.ts';

const url = 'http://broker-ingress.knative-eventing.svc.cluster.local/millrace/millrace';
const read = (environment: Readonly<Record<string, string>>) =>
  sinksOf(readConfiguration(configuration, environment));

it('without K_SINK there is no sink, whatever else is set', () => {
  expect(read({ K_CE_OVERRIDES: 'anything' })).toEqual({});
  expect(read({ K_SINK: '' })).toEqual({});
});

it('a ContainerSource without overrides sets an empty variable', () => {
  expect(read({ K_SINK: url, K_CE_OVERRIDES: '' })).toEqual({
    work: { url: new URL(url), extensions: {} },
  });
});

it('reads what a ContainerSource sets', () => {
  const { cert } = createOwnCertificate(0);
  expect(
    read({
      K_SINK: url,
      K_CE_OVERRIDES: '{"extensions":{"team":"batch"},"later":1}',
      K_CA_CERTS: cert,
    }),
  ).toEqual({ work: { url: new URL(url), extensions: { team: 'batch' }, authorities: cert } });
});

it.each([
  ['nats://broker', 'K_SINK: "nats://broker" must match pattern'],
  ['http://', 'K_SINK: "http://" is no URL'],
])('refuses the sink %s', (sink, words) => {
  expect(() => read({ K_SINK: sink })).toThrow(words);
});

it.each([
  ['{', '"{" is no JSON object'],
  ['["team"]', 'is no JSON object'],
  ['{"extensions":"team"}', 'extensions is no JSON object'],
  ['{"extensions":{"Team":"a"}}', 'extensions.Team is no name of 1 to 20 lower-case letters'],
  ['{"extensions":{"teamA":"a"}}', 'extensions.teamA is no name of 1 to 20 lower-case letters'],
  ['{"extensions":{"team":1}}', 'extensions.team is no text'],
  ['{"extensions":{"id":"a"}}', 'extensions.id is an attribute that these events have already'],
  ['{"extensions":{"data":"a"}}', 'extensions.data is an attribute that these events have already'],
  ['{"extensions":{"uid":"a"}}', 'extensions.uid is an attribute that these events have already'],
])('refuses the overrides %s', (overrides, words) => {
  const act = () => read({ K_SINK: url, K_CE_OVERRIDES: overrides });
  expect(act).toThrow('K_CE_OVERRIDES (spec.ceOverrides of the source): ');
  expect(act).toThrow(words);
});

it('refuses authorities that are none, and names every fault', () => {
  expect(() => read({ K_SINK: 'http://', K_CE_OVERRIDES: '1', K_CA_CERTS: 'none' })).toThrow(
    /K_SINK.*; K_CE_OVERRIDES.*; K_CA_CERTS: its value is no certificate in PEM/,
  );
});

it('state events go to a sink of their own, or to that of a SinkBinding, which then gets no work', () => {
  const own = 'https://events.example.com/millrace';
  const at = (address: string) => ({ url: new URL(address), extensions: {} });
  expect(read({ MILLRACE_EVENTS_TO: own })).toEqual({ states: at(own) });
  expect(read({ MILLRACE_EVENTS_TO: own, K_SINK: url })).toEqual({
    work: at(url),
    states: at(own),
  });
  expect(read({ MILLRACE_EVENTS_TO: 'K_SINK', K_SINK: url })).toEqual({ states: at(url) });
});

it.each([
  [{ MILLRACE_EVENTS_TO: 'K_SINK' }, 'K_SINK is not set; a SinkBinding of Knative sets it'],
  [{ MILLRACE_EVENTS_TO: 'https://' }, 'MILLRACE_EVENTS_TO: "https://" is no URL'],
  [{ MILLRACE_EVENTS_TO: 'kafka://a' }, 'MILLRACE_EVENTS_TO: "kafka://a" must match pattern'],
])('refuses %j', (environment, words) => {
  expect(() => read(environment)).toThrow(words);
});
