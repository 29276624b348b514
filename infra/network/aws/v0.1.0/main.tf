# Each resource carries its name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag to find the
# resources that were left behind.
locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  public  = { for zone, ranges in var.zones : zone => ranges.public if ranges.public != null }
  private = { for zone, ranges in var.zones : zone => ranges.private if ranges.private != null }
  intra   = { for zone, ranges in var.zones : zone => ranges.intra if ranges.intra != null }
  # NAT gateways require a public subnet.
  nat_possible = sort(keys(local.public))
  nat_zones    = toset(var.nat == "none" ? [] : var.nat == "single" ? slice(local.nat_possible, 0, min(1, length(local.nat_possible))) : local.nat_possible)
  nat_of       = { for zone in keys(local.private) : zone => contains(local.nat_zones, zone) ? zone : try(sort(local.nat_zones)[0], null) }
}

resource "aws_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_support   = true
  enable_dns_hostnames = true
  tags                 = merge(local.tags, { Name = var.name, "cloudwright:part" = "this" })
}

resource "aws_internet_gateway" "this" {
  vpc_id = aws_vpc.this.id
  tags   = merge(local.tags, { Name = var.name, "cloudwright:part" = "this" })
  lifecycle {
    # A gateway cannot move to a new VPC: the old VPC must be deleted first, and its deletion fails while the gateway is attached.
    replace_triggered_by = [aws_vpc.this.id]
  }
}

resource "aws_subnet" "public" {
  for_each                = local.public
  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = each.value
  map_public_ip_on_launch = true
  tags = merge(local.tags, {
    Name                     = "${var.name}-public-${each.key}"
    "kubernetes.io/role/elb" = "1"
    "cloudwright:part"       = "public/${each.key}"
  })
}

resource "aws_subnet" "private" {
  for_each          = local.private
  vpc_id            = aws_vpc.this.id
  availability_zone = each.key
  cidr_block        = each.value
  tags = merge(local.tags, {
    Name                              = "${var.name}-private-${each.key}"
    "kubernetes.io/role/internal-elb" = "1"
    "cloudwright:part"                = "private/${each.key}"
  })
}

resource "aws_subnet" "intra" {
  for_each          = local.intra
  vpc_id            = aws_vpc.this.id
  availability_zone = each.key
  cidr_block        = each.value
  tags              = merge(local.tags, { Name = "${var.name}-intra-${each.key}", "cloudwright:part" = "intra/${each.key}" })
}
