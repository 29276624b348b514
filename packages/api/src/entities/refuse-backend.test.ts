import type { AllowedBackend } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { apiFaults } from "../faults.ts";
import { refuseBackend } from "./refuse-backend.ts";

const owner = { project: "team-a", kind: "Network", uid: "u" };
const both: AllowedBackend = {
  name: "both",
  type: "pg",
  settings: { host: "db.internal", database: "states", user: "tf" },
  prefix: "",
  projects: ["team-a"],
  keptLocations: {},
};
const bucket: AllowedBackend = { ...both, name: "bucket", type: "s3", settings: { bucket: "states", region: "eu-west-1" } };

test("X062 the error for an allowed backend with different settings names these settings", () => {
  const { code, message, fields } = refuseBackend(
    owner,
    { name: "both", type: "pg", settings: { host: "evil.test", port: "1" } },
    [both],
  );
  expect(code).toBe(apiFaults.backend_not_allowed.code);
  expect(fields?.map(({ field }) => field)).toEqual(["spec.infra.backend.settings.host", "spec.infra.backend.settings.port"]);
  expect(message).toContain('settings.host is "evil.test", but the backend has "db.internal"');
  expect(message).not.toContain("may not use");
});

test("X062 the error for a backend of the wrong type names the type of the allowed backend", () => {
  const { fields } = refuseBackend(owner, { name: "both", type: "s3", settings: {} }, [both, bucket]);
  expect(fields).toEqual([{ field: "spec.infra.backend.type", message: "is s3, but the backend has the type pg" }]);
});

test("X062 a backend without a name is compared with the only allowed backend of the same type", () => {
  const given = { name: "", type: "s3", settings: { bucket: "mine", region: "eu-west-1", key: "anything" } };
  expect(refuseBackend(owner, given, [both, bucket]).fields?.map(({ field }) => field)).toEqual([
    "spec.infra.backend.settings.bucket",
  ]);
});

test("X062 the error for a backend that the project may not use does not reveal its settings", () => {
  const { message, fields } = refuseBackend(owner, { name: "secret", type: "pg", settings: { host: "x" } }, [both]);
  expect(message).toBe('the project "team-a" may not use the state backend "secret"; it may use "both"');
  expect(fields?.map(({ field }) => field)).toEqual(["spec.infra.backend"]);
});
