# Each resource carries its Terraform name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag
# to find the resources that were left behind.
locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  uid = replace(var.owner.entity, "-", "")
  # Suffix for names that must be unique in an account. The last characters of a uid are random.
  short = substr(local.uid, max(0, length(local.uid) - 8), -1)
  # Karpenter finds the worker subnets by this value. The suffix distinguishes networks of the same name.
  discovery = "${var.vpc_name}-${local.short}"

  # Empty for an existing network, in which nothing is created.
  made = toset(var.vpc_id == null ? ["network"] : [])

  # The upper half of the range is for workers, the lower half for load balancers and control planes. A zone's position depends only on its
  # letter, so adding a zone does not move the others.
  is_computed = var.aws_public_subnet_cidrs == null && var.aws_private_subnet_cidrs == null && var.aws_eks_controlplane_subnet_cidrs == null
  places      = { for zone in var.aws_azs : zone => index(split("", "abcdefgh"), substr(zone, -1, 1)) if local.is_computed }
  public      = local.is_computed ? { for zone, place in local.places : zone => cidrsubnet(var.cidr_range, 5, place) } : { for index, range in coalesce(var.aws_public_subnet_cidrs, []) : var.aws_azs[index] => range }
  private     = local.is_computed ? { for zone, place in local.places : zone => cidrsubnet(var.cidr_range, 4, 8 + place) } : { for index, range in coalesce(var.aws_private_subnet_cidrs, []) : var.aws_azs[index] => range }
  intra       = local.is_computed ? { for zone, place in local.places : zone => cidrsubnet(var.cidr_range, 5, 8 + place) } : { for index, range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : var.aws_azs[index] => range }
}

resource "aws_vpc" "this" {
  for_each             = local.made
  cidr_block           = var.cidr_range
  enable_dns_support   = true
  enable_dns_hostnames = true
  tags                 = merge(local.tags, { Name = var.vpc_name, "cloudwright:part" = "this/${each.key}" })
}

resource "aws_vpc_ipv4_cidr_block_association" "secondary" {
  for_each   = toset(var.vpc_id == null ? var.secondary_cidr_ranges : [])
  vpc_id     = aws_vpc.this["network"].id
  cidr_block = each.key
}

resource "aws_internet_gateway" "this" {
  for_each = local.made
  vpc_id   = aws_vpc.this[each.key].id
  tags     = merge(local.tags, { Name = var.vpc_name, "cloudwright:part" = "this/${each.key}" })
  lifecycle {
    # A gateway cannot move to a new VPC: the old VPC must be deleted first, and its deletion fails while the gateway is attached.
    replace_triggered_by = [aws_vpc.this[each.key].id]
  }
}

resource "aws_subnet" "public" {
  for_each                = local.public
  vpc_id                  = aws_vpc.this["network"].id
  availability_zone       = each.key
  cidr_block              = each.value
  map_public_ip_on_launch = var.public_ips_on_launch
  tags = merge(local.tags, {
    Name                     = "${var.vpc_name}-public-${each.key}"
    "kubernetes.io/role/elb" = "1"
    "cloudwright:part"       = "public/${each.key}"
  })
  # A subnet may be in a secondary range.
  depends_on = [aws_vpc_ipv4_cidr_block_association.secondary]
}

resource "aws_subnet" "private" {
  for_each          = local.private
  vpc_id            = aws_vpc.this["network"].id
  availability_zone = each.key
  cidr_block        = each.value
  tags = merge(local.tags, {
    Name                              = "${var.vpc_name}-private-${each.key}"
    "kubernetes.io/role/internal-elb" = "1"
    "karpenter.sh/discovery"          = local.discovery
    "cloudwright:part"                = "private/${each.key}"
  })
  depends_on = [aws_vpc_ipv4_cidr_block_association.secondary]
}

resource "aws_subnet" "intra" {
  for_each          = local.intra
  vpc_id            = aws_vpc.this["network"].id
  availability_zone = each.key
  cidr_block        = each.value
  tags              = merge(local.tags, { Name = "${var.vpc_name}-intra-${each.key}", "cloudwright:part" = "intra/${each.key}" })
  depends_on        = [aws_vpc_ipv4_cidr_block_association.secondary]
}
