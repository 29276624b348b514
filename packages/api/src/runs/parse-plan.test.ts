import { expect, test } from "vitest";
import { parsePlan } from "./parse-plan.ts";

const plan = { serial: 1, lineage: "l", counts: { replace: 1 }, parcel: Buffer.from("p").toString("base64") };
const parse = (change: object) => parsePlan(Buffer.from(JSON.stringify({ ...plan, changes: [change] })));

test("X035 policies judge exactly the change that users see, however its field names are spelled", () => {
  const values = { before: { a: 1 }, after: null };
  const { changes, judged } = parse({ address: "a.b", resource_type: "a", action: "replace", replace_paths: ["x"], values });
  expect(changes).toMatchObject([{ address: "a.b", resourceType: "a", action: "replace", replacePaths: ["x"] }]);
  expect(judged).toMatchObject([{ address: "a.b", type: "a", action: "replace", replacePaths: ["x"], ...values }]);
  expect(parse({}).judged).toMatchObject([{ address: "", type: "", action: "", replacePaths: [] }]);
});

test("M077 dependencies are kept for changed resources, keyed by address, and an agent may omit them", () => {
  const dependencies = [
    { address: "a.b", needs: ["a.c", "data.x.y"] },
    { address: "a.c", needs: [] },
    { address: "data.x.y", needs: ["a.d"] },
    { address: "a.d", needs: [] },
  ];
  const read = (sent: object) =>
    parsePlan(Buffer.from(JSON.stringify({ ...plan, changes: [{ address: 'a.b["k"]' }, { address: "a.d" }], ...sent })));
  expect(read({ dependencies }).dependencies).toEqual([
    { address: "a.b", needs: ["a.d"] },
    { address: "a.d", needs: [] },
  ]);
  expect(read({}).dependencies).toEqual([]);
  expect(() => read({ dependencies: [{ address: 1 }] })).toThrow(
    expect.objectContaining({ code: "api.plan_malformed" }) as Error,
  );
});

test("X063 a plan file full of padding is malformed and does not block the server", () => {
  const send = (parcel: string) => parsePlan(Buffer.from(JSON.stringify({ ...plan, parcel })));
  expect(() => send(`AAAA${"=".repeat(1_000_000)}x`)).toThrow(expect.objectContaining({ code: "api.plan_malformed" }) as Error);
  expect(send("AAA=").parcel).toHaveLength(2);
});

test("X063 a change with 20,000 attributes is stored with few, and one that cannot be combined is malformed", () => {
  const list = (render: (index: number) => string) => Array.from({ length: 20_000 }, (_, index) => ({ path: render(index) }));
  const { changes } = parse({ address: "a.b", action: "update", attributes: list((index) => `logs[${index}]`) });
  expect(changes[0]?.["attributes"]).toEqual([
    { path: "logs", sensitive: false, unknown: false, computed: false, members: 20_000 },
  ]);
  expect(() => parse({ attributes: list((index) => `name${index}`) })).toThrow(
    expect.objectContaining({ code: "api.plan_malformed" }) as Error,
  );
});
