const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";

/**
 * Patterns for formats that protovalidate checks in code. JSON Schema has formats for some of them, but validators interpret those
 * differently, and none covers address ranges. A pattern may accept input that the server rejects, such as a range with host bits set, but
 * never the reverse.
 */
export const patterns = {
  email: `^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`,
  uuid: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
  ipv4: `^(?:${octet}\\.){3}${octet}$`,
  ipv4Range: `^(?:${octet}\\.){3}${octet}/(?:3[0-2]|[12]?[0-9])$`,
  ipRange: "^[0-9a-fA-F:.]+/[0-9]{1,3}$",
  /** Names and uids in a path. */
  nameOrUid: "^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$",
} as const;
