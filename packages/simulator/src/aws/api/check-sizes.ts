import { ApiError } from "../../api/api-error.ts";

/** Maximum lengths of strings, keyed by field name, as in AWS. */
const longest: Readonly<Record<string, number>> = {
  AssumeRolePolicyDocument: 131_072,
  PolicyDocument: 131_072,
  RoleName: 64,
  PolicyName: 128,
  InstanceProfileName: 128,
  Path: 512,
  Description: 1000,
  GroupDescription: 255,
  GroupName: 255,
  KeyName: 255,
  Key: 128,
  Value: 4096,
  // 16 KiB of user data, encoded in base64.
  UserData: 21_848,
  PublicKeyMaterial: 16_384,
  WebIdentityToken: 20_000,
  configurationValues: 32_768,
};
const longestOther = 4096;
const mostEntries = 1000;

/** The number of tags that a resource can have, and the lengths of their keys and values. */
const tagLimits = { tags: 50, key: 128, value: 256 } as const;

/** Throws if the body of a request has a string or a list that the service would not accept. */
export function checkSizes(body: unknown, name = ""): void {
  if (typeof body === "string") {
    const most = (Object.hasOwn(longest, name) ? longest[name] : undefined) ?? longestOther;
    if (body.length > most) throw tooLong(name, `length less than or equal to ${most}`);
  } else if (Array.isArray(body)) {
    if (body.length > mostEntries) throw tooLong(name, `at most ${mostEntries} elements`);
    for (const each of body) checkSizes(each, name);
  } else if (typeof body === "object" && body !== null) {
    const entries = Object.entries(body);
    if (entries.length > mostEntries) throw tooLong(name, `at most ${mostEntries} entries`);
    // EKS's name for the tags of a new resource.
    if (name === "tags") checkTags(Object.fromEntries(entries), "");
    for (const [key, value] of entries) {
      if (key.length > longestOther) throw tooLong(name, `names of at most ${longestOther} characters`);
      checkSizes(value, key);
    }
  }
}

/** Throws if a resource would have more or longer tags than AWS allows. */
export function checkTags(tags: Readonly<Record<string, unknown>>, tooManyCode: string): void {
  const entries = Object.entries(tags);
  if (entries.length > tagLimits.tags) {
    throw new ApiError({ code: tooManyCode, message: `A resource can have at most ${tagLimits.tags} tags.`, status: 400 });
  }
  for (const [key, value] of entries) {
    if (key.length > tagLimits.key) throw tooLong("tag key", `length less than or equal to ${tagLimits.key}`);
    if (String(value).length > tagLimits.value) throw tooLong("tag value", `length less than or equal to ${tagLimits.value}`);
  }
}

function tooLong(name: string, constraint: string): ApiError {
  const message = `1 validation error detected: Value at '${name.slice(0, 100)}' failed to satisfy constraint: Member must have ${constraint}`;
  return new ApiError({ code: "", message, status: 400 });
}
