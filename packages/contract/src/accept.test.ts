import { create, fromJson, getOption, ScalarType, type Message } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { message as messageRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TaskInfoSchema } from "../gen/cloudwright/v1/deployer_pb.ts";
import { isCertainlyValid } from "./accept.ts";
import { getEntitySchema, type Json, type JsonObject } from "./entities.ts";
import { kinds } from "./kinds.ts";
import { methods } from "./methods.ts";
import { acceptedInputs, rejectedInputs } from "./testing/entity-inputs.ts";
import { writtenOutRules } from "./written-out-rules.ts";

const validator = createValidator();
/** Valid inputs for which the fast check returns false and the validator decides. */
const leftToValidator = [
  "with an address",
  "with an open endpoint",
  "of Azure",
  "of Azure with a certificate",
  "of Azure with a federated token",
  "with grants",
];

describe("M025 the fast check of a message", () => {
  test.each(acceptedInputs.filter(({ what }) => !leftToValidator.includes(what)))("accepts a $kind $what", ({ kind, input }) => {
    expect(isCertainlyValid(getEntitySchema(kind), read(kind, input) as Message)).toBe(true);
  });

  test("accepts a message that contains plain JSON", () => {
    const task = create(TaskInfoSchema, { uid: "a", type: "network.apply", payload: { entity: { spec: null } } });
    expect(isCertainlyValid(TaskInfoSchema, task)).toBe(validator.validate(TaskInfoSchema, task).kind === "valid");
  });

  test("never accepts input that the validator rejects", () => {
    const inputs = fc.constantFrom(...acceptedInputs, ...rejectedInputs);
    const changes = fc.array(fc.tuple(fc.nat(), odd), { maxLength: 3 });
    let yes = 0;
    fc.assert(
      fc.property(inputs, changes, ({ kind, input }, replaced) => {
        const json = replaced.reduce(
          (entity, [index, value]) => replaceLeaf(entity, index, structuredClone(value)),
          structuredClone(input),
        );
        const message = read(kind, json);
        fc.pre(message !== undefined);
        if (!isCertainlyValid(getEntitySchema(kind), message)) return;
        yes += 1;
        expect(validator.validate(getEntitySchema(kind), message).kind).toBe("valid");
      }),
      { numRuns: 5000 },
    );
    expect(yes).toBeGreaterThan(100);
  });

  test("never accepts a request without an entity if the validator rejects the request", () => {
    const names = ["", "dev", "x".repeat(63), "x".repeat(64), "😀".repeat(40)];
    const requests = methods.filter(({ bindings }) => bindings.every(({ body }) => body === ""));
    const verdicts = requests.flatMap(({ id, descriptor: { input } }) =>
      names.map((name) => {
        const fields = input.fields.filter(({ fieldKind, scalar }) => fieldKind === "scalar" && scalar === ScalarType.STRING);
        const message = fromJson(input, Object.fromEntries(fields.map(({ jsonName }) => [jsonName, name])));
        return { id, name, yes: isCertainlyValid(input, message), kind: validator.validate(input, message).kind };
      }),
    );
    expect(verdicts.filter(({ yes, kind }) => yes && kind !== "valid")).toEqual([]);
    expect(verdicts.filter(({ yes }) => yes).length).toBeGreaterThan(requests.length);
  });

  test("implements only rules that the proto files contain", () => {
    const messages = kinds.flatMap(({ kind }) => getEntitySchema(kind).file.messages);
    const ids = messages.flatMap((message) => getOption(message, messageRules).cel.map(({ id }) => id));
    expect(ids).toEqual(expect.arrayContaining(Object.keys(writtenOutRules)));
  });
});

/** Values just inside and just outside the limits in the rules. */
const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(
    "",
    "a",
    "A",
    "-",
    "a-",
    "1.34",
    "v1.34.1",
    "1.034",
    "a\n",
    "ä",
    "😀",
    "a/b",
    "x".repeat(63),
    "x".repeat(64),
  ),
  fc.constantFrom<Json[]>(
    "x".repeat(2000),
    "😀".repeat(63),
    "10.0.0.0/16",
    "010.0.0.0/8",
    "10.0.0.1/16",
    "10.0.0.0/33",
    "::/0",
    "api",
  ),
  fc.constantFrom<Json[]>(0, 1, 2, 3, 5, -1, 1000, 1001, 2_147_483_647, true, false, null),
  fc.constantFrom<Json[]>(
    [],
    {},
    ["a", "a"],
    ["a", "b"],
    { "a!": "b" },
    { a: "b c" },
    Array.from({ length: 65 }, (_, index) => `i${index}`),
  ),
  fc.string({ unit: "grapheme", maxLength: 70 }),
);

function read(kind: string, input: Json): Message | undefined {
  try {
    return fromJson(getEntitySchema(kind), input);
  } catch {
    return undefined;
  }
}

/** Replaces one value in an entity. `index` counts values in depth-first order and wraps around. */
function replaceLeaf(entity: JsonObject, index: number, value: Json): JsonObject {
  const places: { holder: JsonObject; name: string }[] = [];
  const visit = (holder: JsonObject): void => {
    for (const [name, part] of Object.entries(holder)) {
      places.push({ holder, name });
      if (typeof part === "object" && part !== null) visit(part as JsonObject);
    }
  };
  visit(entity);
  const place = places[index % places.length];
  if (place !== undefined) place.holder[place.name] = value;
  return entity;
}
