import { describe, expect, it } from 'vitest';
import { MessageWriter } from './openapi/protobuf-writer.ts';
import { objectFromProtobuf } from './protobuf-object.ts';
import { MalformedProtobuf } from './protobuf-reader.ts';

/** The body that `kubectl create job j1 --image=busybox` sends. */
const createJob =
  '6b3873000a0f0a0862617463682f763112034a6f62127a0a120a026a3112001a0022002a003200380042' +
  '00125a32580a100a0012001a0022002a0032003800420012440a21'.slice(0, -4) +
  '12210a026a31120762757379626f782a0042006a007200800100880100900100a201001a054e65766572' +
  '320042004a00520058006000680082010' +
  '08a01009a0100c201001a0820002800300 03a001a002200'.replace(/ /g, '');

const message = (): MessageWriter => new MessageWriter();

function body(apiVersion: string, kind: string, raw: MessageWriter): Buffer {
  const unknown = message().message(1, message().text(1, apiVersion).text(2, kind)).message(2, raw);
  return Buffer.concat([Buffer.from('k8s\0'), unknown.finish()]);
}

describe('an object in protobuf', () => {
  it('as kubectl sends it is the object that it would send as JSON', () => {
    expect(objectFromProtobuf(Buffer.from(createJob, 'hex'))).toEqual({
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: { name: 'j1' },
      spec: {
        template: {
          spec: { containers: [{ name: 'j1', image: 'busybox' }], restartPolicy: 'Never' },
        },
      },
    });
  });

  it('keeps the zero of a pointer and drops that of a plain field', () => {
    const spec = message().integer(7, 0).flag(10, true);
    const job = body('batch/v1', 'Job', message().message(2, spec));
    expect(objectFromProtobuf(job)).toEqual({
      kind: 'Job',
      apiVersion: 'batch/v1',
      spec: { backoffLimit: 0, suspend: true },
    });
  });

  it('reads maps, bytes, times and quantities as JSON has them', () => {
    const entry = (key: string, value: MessageWriter) => message().text(1, key).message(2, value);
    const secret = message()
      .message(
        1,
        message()
          .text(1, 's')
          .message(8, message().integer(1, 1_700_000_000))
          .message(11, message().text(1, 'l').text(2, 'v')),
      )
      .message(2, message().text(1, 'k').bytes(2, Buffer.from('value')));
    expect(objectFromProtobuf(body('v1', 'Secret', secret))).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's', creationTimestamp: '2023-11-14T22:13:20Z', labels: { l: 'v' } },
      data: { k: Buffer.from('value').toString('base64') },
    });
    const status = message().message(1, entry('cpu', message().text(1, '500m')));
    expect(objectFromProtobuf(body('v1', 'Node', message().message(3, status)))).toMatchObject({
      status: { capacity: { cpu: '500m' } },
    });
  });

  it('reads what is inlined in Go as fields of the message around it', () => {
    const emptyDir = message().message(2, message());
    const volume = message().text(1, 'v').message(2, emptyDir);
    const pod = body('v1', 'Pod', message().message(2, message().message(1, volume)));
    expect(objectFromProtobuf(pod)).toMatchObject({
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
    });
  });

  it('reads a port that is a name or a number', () => {
    const port = (value: MessageWriter) => {
      const probe = message().message(1, message().message(2, message().message(2, value)));
      const container = message().text(1, 'c').message(10, probe);
      const pod = message().message(2, message().message(2, container));
      return objectFromProtobuf(body('v1', 'Pod', pod));
    };
    const probed = (value: string | number) => ({
      spec: { containers: [{ livenessProbe: { httpGet: { port: value } } }] },
    });
    expect(port(message().integer(2, 80))).toMatchObject(probed(80));
    expect(port(message().integer(1, 1).text(3, 'http'))).toMatchObject(probed('http'));
  });

  it.each([
    ['another beginning', Buffer.from('{"kind":"Job"}')],
    ['a cut end', Buffer.from(createJob, 'hex').subarray(0, 60)],
    ['a field without a number', Buffer.from('k8s\0\x02\x00')],
    ['a group', Buffer.from('k8s\0\x0b\x0c')],
    ['a kind that is not known', body('apps/v1', 'Deployment', message())],
  ])('with %s is refused', (_what, bytes) => {
    expect(() => objectFromProtobuf(bytes)).toThrow(MalformedProtobuf);
  });
});
