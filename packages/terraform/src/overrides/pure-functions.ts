/**
 * Functions that an override may call. Their results depend only on their arguments. Functions that read files or the clock are excluded.
 * So are random functions, whose results change with every plan, and `nonsensitive`, which exposes secrets.
 */
export const pureFunctions: ReadonlySet<string> = new Set(
  [
    "abs ceil floor log max min parseint pow signum",
    "chomp endswith format formatlist indent join lower regex regexall replace split startswith strcontains strrev substr title trim",
    "trimprefix trimspace trimsuffix upper",
    "alltrue anytrue chunklist coalesce coalescelist compact concat contains distinct element flatten index keys length lookup matchkeys",
    "merge one range reverse setintersection setproduct setsubtract setunion slice sort sum transpose values zipmap",
    "base64decode base64encode csvdecode jsondecode jsonencode textdecodebase64 textencodebase64 urlencode yamldecode yamlencode",
    "formatdate timeadd timecmp",
    "base64sha256 base64sha512 md5 sha1 sha256 sha512 uuidv5",
    "cidrhost cidrnetmask cidrsubnet cidrsubnets",
    "can try tobool tolist tomap tonumber toset tostring sensitive issensitive",
  ].flatMap((line) => line.split(" ")),
);
