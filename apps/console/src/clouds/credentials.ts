import type { Tree } from "../data/spec-paths.ts";
import { omitEmpty } from "../kinds/create-form.ts";
import type { CloudView, CredentialField, CredentialMethod, CredentialValues } from "./cloud-view.ts";

/** Returns the initial values of a cloud's credential form. */
export function startCredentials(view: CloudView | undefined): CredentialValues {
  if (view === undefined) return {};
  const fields = listFields(view).map(({ name }): [string, string] => [name, ""]);
  return { ...Object.fromEntries(fields), method: view.methods[0]?.value ?? "" };
}

/** Returns the chosen method. */
export function findMethod(view: CloudView, values: CredentialValues): CredentialMethod | undefined {
  return view.methods.find(({ value }) => value === values["method"]);
}

/** Returns the method that the cloud-specific section of a spec uses, or an empty string if it matches none of the form's methods. */
export function findMethodOf({ methods }: CloudView, part: Tree): string {
  const matches = methods.filter(
    ({ fields, settings = {} }) =>
      Object.entries(settings).every(([name, value]) => part[name] === value) &&
      (Object.keys(settings).length > 0 || fields.some(({ name, isShared }) => isShared !== true && part[name] !== undefined)),
  );
  return matches[0]?.value ?? "";
}

/** Returns the names of the fields that the form shows for a method. */
export function listMethodFields(view: CloudView, method: string): string[] {
  return [...view.accountFields, ...(findMethod(view, { method })?.fields ?? [])].map(({ name }) => name);
}

/** Returns the names of the settings in the account's spec that select a method. */
export function listMethodSettings(view: CloudView | undefined, method: string): string[] {
  return Object.keys((view === undefined ? undefined : findMethod(view, { method }))?.settings ?? {});
}

/** Builds the cloud-specific section of an account's spec. Values for methods other than the chosen one are left out. */
export function buildAccount(view: CloudView, values: CredentialValues): object {
  const method = findMethod(view, values);
  const fields = [...view.accountFields, ...(method?.fields ?? [])];
  return { ...method?.settings, ...omitEmpty(Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? ""]))) };
}

/** Returns the names of the fields that contain secrets. */
export function listSecretFields(view: CloudView): string[] {
  const typed = listFields(view).flatMap(({ name, input = "text" }) => (input === "text" ? [] : [name]));
  return [...typed, ...(view.otherSecrets ?? [])];
}

function listFields({ accountFields, methods }: CloudView): CredentialField[] {
  return [...accountFields, ...methods.flatMap(({ fields }) => fields)];
}
