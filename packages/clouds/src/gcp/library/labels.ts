import { maxLabelLength, toLabelKey, toLabelValue, toTags } from "@cloudwright/contract/clouds/gcp/labels";
import { refuseRequest } from "../../library/errors.ts";

/** Tag that records the token of the call that created a resource, so that a repeated call finds the existing resource. */
export const tokenTag = "cloudwright:token";

export { toTags };

/** Renders tags as labels. Throws `clouds.invalid` if Google Cloud would reject them. */
export function renderLabels(tags: Readonly<Record<string, string>>): Record<string, string> {
  const labels = Object.entries(tags).map(([key, value]) => {
    const [labelKey, labelValue] = [toLabelKey(key), toLabelValue(value)];
    if (key === "" || labelKey.length > maxLabelLength || labelValue.length > maxLabelLength)
      throw refuseRequest(
        "gcp",
        `the tag "${key}" does not fit into a Google Cloud label; keys and values can have at most ${maxLabelLength} characters, and characters other than lower-case letters, digits, - and _ count several times`,
      );
    return [labelKey, labelValue] as const;
  });
  if (labels.length > 64) throw refuseRequest("gcp", `a resource can have at most 64 labels, not ${labels.length}`);
  return Object.fromEntries(labels);
}

/** Returns the labels that replace `now` if a user sets other tags. Keeps the labels that the library or Google Cloud set. */
export function replaceLabels(
  now: Readonly<Record<string, string>>,
  tags: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(now).filter(([key]) => /^(cloudwright_|goog[-_])/.test(key));
  return { ...renderLabels(tags), ...Object.fromEntries(kept) };
}
