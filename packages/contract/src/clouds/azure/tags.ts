/**
 * Returns the Azure tag name of a label key. Azure does not allow `/` in tag names, so `/` becomes `:`, which label keys never contain. The
 * ownership tags `cloudwright:...` keep their names, because Azure allows `:`.
 */
export function renderTagKey(label: string): string {
  return label.replace("/", ":");
}

/**
 * Returns whether a label must not become a tag. AKS and its storage and network drivers identify their resources by tags, and so does the
 * platform. Azure reserves the prefixes `microsoft`, `azure` and `windows` and ignores the case of tag names.
 */
export function isReservedTag(label: string): boolean {
  const key = label.toLowerCase();
  return (
    /^([a-z0-9.-]*\.)?(kubernetes\.io|k8s\.io|azure\.com|microsoft\.com|cloudwright\.dev)\//.test(key) ||
    /^(cloudwright\/|microsoft|azure|windows|aks-managed-|k8s-azure-|kubernetes\.io-)/.test(key) ||
    key === "name"
  );
}
