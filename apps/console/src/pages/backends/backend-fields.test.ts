import { backendTypes } from "@cloudwright/contract/state-backends";
import { expect, test } from "vitest";
import { listOpenFields, listSecretFields, listSettings, nameField } from "./backend-fields.ts";

test("X062 the form of a backend has a labelled field for each setting and secret of its type", () => {
  for (const type of backendTypes) {
    const names = [...listSettings(type).map(({ name }) => name), ...listOpenFields(type), ...listSecretFields(type)];
    expect(new Set(names.map(nameField)).size).toBe(names.length);
    expect(listSecretFields(type).length).toBeGreaterThan(0);
    expect(listSettings(type)[0]?.isRequired).toBe(true);
  }
  expect(["role_arn", "kms_key_id", "storage_account_name", "secretAccessKey", "sasToken"].map(nameField)).toEqual([
    "Role ARN",
    "KMS key ID",
    "Storage account name",
    "Secret access key",
    "SAS token",
  ]);
});
