/**
 * OpenAPI v2 as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`, the only form in which
 * client-go reads it: the messages of github.com/google/gnostic-models openapiv2/OpenAPIv2.proto.
 */
import { fieldsOf, isObject, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { MessageWriter } from './protobuf-writer.ts';

/** `document`: the result of openapiV2. */
export function openapiV2Protobuf(document: JsonObject): Uint8Array {
  const info = document['info'] as JsonObject;
  const message = new MessageWriter()
    .text(1, document['swagger'])
    .message(2, new MessageWriter().text(1, info['title']).text(2, info['version']));
  const paths = new MessageWriter();
  for (const [path, item] of entriesOf(document['paths'])) {
    paths.message(2, named(path, pathItem(item)));
  }
  return message.message(8, paths).message(9, namedSchemas(document['definitions'])).finish();
}

function named(name: string, value: MessageWriter): MessageWriter {
  return new MessageWriter().text(1, name).message(2, value);
}

function namedSchemas(schemas: Json | undefined): MessageWriter {
  const message = new MessageWriter();
  for (const [name, schema] of entriesOf(schemas))
    message.message(1, named(name, schemaOf(schema)));
  return message;
}

const methods = { get: 2, put: 3, post: 4, delete: 5, patch: 7 } as const;

function pathItem(item: JsonObject): MessageWriter {
  const message = new MessageWriter();
  for (const [method, field] of Object.entries(methods)) {
    const operation = item[method];
    if (operation !== undefined) message.message(field, operationOf(operation as JsonObject));
  }
  for (const parameter of listOf(item['parameters']))
    message.message(9, parameterOf(fieldsOf(parameter)));
  return message;
}

function operationOf(operation: JsonObject): MessageWriter {
  const message = new MessageWriter()
    .text(5, operation['operationId'])
    .texts(6, operation['produces'])
    .texts(7, operation['consumes']);
  for (const parameter of listOf(operation['parameters']))
    message.message(8, parameterOf(fieldsOf(parameter)));
  const responses = new MessageWriter();
  for (const [code, response] of entriesOf(operation['responses'])) {
    const content = new MessageWriter()
      .text(1, response['description'])
      .message(2, new MessageWriter().message(1, schemaOf(response['schema'] as JsonObject)));
    responses.message(1, named(code, new MessageWriter().message(1, content)));
  }
  return withExtensions(message.message(9, responses), 13, operation);
}

/** ParametersItem > Parameter > BodyParameter, or NonBodyParameter > the parameter of its place. */
function parameterOf(parameter: JsonObject): MessageWriter {
  const { name, in: place, required, type, schema } = parameter;
  const item = new MessageWriter();
  if (place === 'body') {
    const body = new MessageWriter().text(2, name).text(3, place).flag(4, required);
    return item.message(
      1,
      new MessageWriter().message(1, body.message(5, schemaOf(schema as JsonObject))),
    );
  }
  const isPath = place === 'path';
  const inner = new MessageWriter()
    .flag(1, required)
    .text(2, place)
    .text(4, name)
    .text(isPath ? 5 : 6, type)
    .flag(isPath ? 19 : 20, true);
  const placed = new MessageWriter().message(isPath ? 4 : 3, inner);
  return item.message(1, new MessageWriter().message(2, placed));
}

function schemaOf(schema: JsonObject): MessageWriter {
  const message = new MessageWriter()
    .text(1, schema['$ref'])
    .text(2, schema['format'])
    .text(4, schema['description'])
    .double(7, schema['maximum'])
    .double(9, schema['minimum'])
    .integer(11, schema['maxLength'])
    .integer(12, schema['minLength'])
    .text(13, schema['pattern'])
    .integer(14, schema['maxItems'])
    .integer(15, schema['minItems'])
    .texts(19, schema['required']);
  for (const value of (schema['enum'] ?? []) as readonly Json[]) message.message(20, anyOf(value));
  const values = schema['additionalProperties'];
  if (isObject(values)) message.message(21, new MessageWriter().message(1, schemaOf(values)));
  const { type, items, properties } = schema;
  if (type !== undefined) message.message(22, new MessageWriter().text(1, type));
  if (isObject(items)) message.message(23, new MessageWriter().message(1, schemaOf(items)));
  if (isObject(properties)) message.message(25, namedSchemas(properties));
  return withExtensions(message, 31, schema);
}

function withExtensions(message: MessageWriter, field: number, from: JsonObject): MessageWriter {
  for (const [name, value] of Object.entries(from)) {
    if (!name.startsWith('x-') || value === undefined) continue;
    message.message(field, named(name, anyOf(value)));
  }
  return message;
}

/** JSON is YAML. */
function anyOf(value: Json): MessageWriter {
  return new MessageWriter().text(2, JSON.stringify(value));
}

function entriesOf(value: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return isObject(value) ? (Object.entries(value) as [string, JsonObject][]) : [];
}
