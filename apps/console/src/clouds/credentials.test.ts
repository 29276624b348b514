import { cloudNames } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { buildAccount, listSecretFields, startCredentials } from "./credentials.ts";
import { findCloudView } from "./registry.ts";

for (const cloud of cloudNames) {
  const view = findCloudView(cloud);
  if (view === undefined) continue;
  for (const method of view.methods) {
    test(`M020 the account form of ${cloud} sends only the fields of the method ${method.value}`, () => {
      const filled = Object.fromEntries(Object.keys(startCredentials(view)).map((name) => [name, `a ${name}`]));
      const names = [...view.accountFields, ...method.fields].map(({ name }) => [name, `a ${name}`]);
      const built = buildAccount(view, { ...filled, method: method.value });
      expect(built).toEqual({ ...method.settings, ...Object.fromEntries(names) });
      expect(buildAccount(view, { ...startCredentials(view), method: method.value })).toEqual(method.settings ?? {});
    });
  }
}

test("M064 the account form knows the secret fields of each cloud", () => {
  const views = cloudNames.flatMap((cloud) => findCloudView(cloud) ?? []);
  const secrets = views.flatMap(listSecretFields);
  expect(secrets).toEqual(expect.arrayContaining(["secretAccessKey", "serviceAccountKey", "clientSecret"]));
});
