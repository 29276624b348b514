/** Returns the name of an operation. It consists of the last digits of its uid, which are random. */
export function operationName(uid: string | null): string {
  return uid === null ? "" : `op-${uid.slice(-12)}`;
}
