import { expect, it } from 'vitest';
import { manifestStream } from '#shared/api/manifest-stream.ts';
import { Holes } from './holes.ts';

it('what is chosen stands where the value was', () => {
  const holes = new Holes();
  const count = holes.said('.Values.count');
  const manifest = { spec: { replicas: count, image: `${holes.said('.Values.prefix')}/bridge` } };
  expect(holes.fill(manifestStream([manifest]))).toBe(
    'spec:\n  replicas: {{ .Values.count }}\n  image: {{ .Values.prefix }}/bridge\n',
  );
});

it('a field that is not set is not there', () => {
  const holes = new Holes();
  const manifest = { spec: { nodeSelector: holes.whenSet('.Values.nodeSelector'), a: 1 } };
  expect(holes.fill(manifestStream([manifest]))).toBe(
    'spec:\n  {{- with .Values.nodeSelector }}\n  nodeSelector: {{ toJson . }}\n  {{- end }}\n  a: 1\n',
  );
});

it('an environment variable that is not set is not there', () => {
  const holes = new Holes();
  const env = [
    { name: 'A', value: holes.whenSet('.Values.a', 'quote .') },
    { name: 'B', value: holes.said('.Values.b') },
  ];
  expect(holes.fill(manifestStream([{ env }]))).toBe(
    [
      'env:',
      '  {{- with .Values.a }}',
      '  - name: A',
      '    value: {{ quote . }}',
      '  {{- end }}',
      '  - name: B',
      '    value: {{ .Values.b }}',
      '',
    ].join('\n'),
  );
});

it('braces that manifests have themselves are no template', () => {
  expect(new Holes().fill('a: "{{x}}"\n')).toBe('a: "{{ "{{" }}x}}"\n');
});
