import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { protectPrototypes } from "./protect-prototypes.ts";

test("X063 the process that serves simulated clusters has read-only prototypes, and objects can still have any field", () => {
  const realm = runInNewContext("({ Object, Array, Function, run: (text) => eval(`'use strict'; ${text}`) })");
  protectPrototypes(realm);
  const run = (text: string): unknown => realm.run(text);
  for (const attempt of [
    "Object.prototype.resources = ['*']",
    "Object.prototype.toString = 1",
    "Array.prototype.resources = 1",
    "Function.prototype.apiGroups = 1",
    "({}).constructor.prototype.resources = 1",
    "delete Object.prototype.hasOwnProperty",
  ])
    expect(() => run(attempt)).toThrow(/TypeError|read-only|not extensible|Cannot/);
  expect(run("const fields = {}; fields['__proto__'] = { a: 1 }; [fields.a, Object.keys(fields).join()]")).toEqual([
    undefined,
    "__proto__",
  ]);
  expect(run("({})['__proto__']")).toBeUndefined();
  expect(run("const one = {}; one.constructor = 1; one.toString = 2; JSON.stringify(one)")).toBe(
    '{"constructor":1,"toString":2}',
  );
  expect(run("class Text { toString() { return 'own' } } `${new Text()} ${({})}`")).toBe("own [object Object]");
});
