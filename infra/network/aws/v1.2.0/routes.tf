locals {
  # NAT gateways require a public subnet.
  nat_possible = sort(keys(local.public))
  # The single gateway stays where it is when zones are added, because moving it changes the network's public address.
  nat_zone  = contains(local.nat_possible, coalesce(var.nat_zone, "none")) ? var.nat_zone : try(local.nat_possible[0], null)
  nat_zones = toset(var.nat == "none" ? [] : var.nat == "single" ? compact([local.nat_zone]) : local.nat_possible)
  # Zones without a gateway of their own use the one in nat_zone.
  nat_of = { for zone in keys(local.private) : zone => contains(local.nat_zones, zone) ? zone : local.nat_zone if length(local.nat_zones) > 0 }
  # A gateway that is no longer needed stays for one more apply, because Terraform would delete it before it changes the routes.
  # If no other gateway remains, Terraform deletes the routes before the gateway, so no additional apply is needed.
  nat_retiring = setintersection(length(local.nat_zones) > 0 ? setsubtract(var.former_nat_zones, local.nat_zones) : toset([]), local.nat_possible)
  # In plans, this tag marks the gateways and addresses that the next apply deletes. Its value lists the zones of the remaining gateways, so
  # it changes when traffic moves to other zones.
  nat_marks = { for zone in setunion(local.nat_zones, local.nat_retiring) : zone => { for key in contains(local.nat_zones, zone) ? [] : ["cloudwright:retiring"] : key => join("+", sort(local.nat_zones)) } }
}

resource "aws_eip" "nat" {
  for_each   = local.nat_marks
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
  tags       = merge(local.tags, each.value, { Name = "${var.vpc_name}-nat-${each.key}", "cloudwright:part" = "nat/${each.key}" })
}

resource "aws_eip" "load_balancer" {
  for_each   = toset([for index in range(var.load_balancer_ips) : tostring(index)])
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
  tags       = merge(local.tags, { Name = "${var.vpc_name}-load-balancer-${each.key}", "cloudwright:part" = "load_balancer/${each.key}" })
}

# create_before_destroy is not set, because Terraform would extend it to the subnets and the VPC. A subnet cannot be replaced by one with
# the same range while the old subnet still exists. Gateways are moved in two applies instead.
resource "aws_nat_gateway" "this" {
  for_each      = local.nat_marks
  allocation_id = aws_eip.nat[each.key].id
  subnet_id     = aws_subnet.public[each.key].id
  tags          = merge(local.tags, each.value, { Name = "${var.vpc_name}-${each.key}", "cloudwright:part" = "this/${each.key}" })
}

# Routes are separate resources. Route blocks in a table would delete the routes of peerings, VPNs and transit gateways.
resource "aws_route_table" "public" {
  for_each = local.made
  vpc_id   = aws_vpc.this[each.key].id
  tags     = merge(local.tags, { Name = "${var.vpc_name}-public", "cloudwright:part" = "public/${each.key}" })
}

resource "aws_route" "public" {
  for_each               = local.made
  route_table_id         = aws_route_table.public[each.key].id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this[each.key].id
}

resource "aws_route_table" "private" {
  for_each = local.private
  vpc_id   = aws_vpc.this["network"].id
  tags     = merge(local.tags, { Name = "${var.vpc_name}-private-${each.key}", "cloudwright:part" = "private/${each.key}" })
}

resource "aws_route" "private" {
  for_each               = local.nat_of
  route_table_id         = aws_route_table.private[each.key].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.this[each.value].id
}

# Outgoing IPv6 traffic needs no address translation. A network without NAT has no egress from its private subnets, over IPv4 or IPv6.
resource "aws_egress_only_internet_gateway" "this" {
  for_each = toset(var.ipv6 && var.nat != "none" ? local.made : [])
  vpc_id   = aws_vpc.this[each.key].id
  tags     = merge(local.tags, { Name = var.vpc_name, "cloudwright:part" = "this/${each.key}" })
}

resource "aws_route" "public_ipv6" {
  for_each                    = toset(var.ipv6 ? local.made : [])
  route_table_id              = aws_route_table.public[each.key].id
  destination_ipv6_cidr_block = "::/0"
  gateway_id                  = aws_internet_gateway.this[each.key].id
}

resource "aws_route" "private_ipv6" {
  for_each                    = { for zone, range in local.private : zone => range if var.ipv6 && var.nat != "none" }
  route_table_id              = aws_route_table.private[each.key].id
  destination_ipv6_cidr_block = "::/0"
  egress_only_gateway_id      = aws_egress_only_internet_gateway.this["network"].id
}

resource "aws_route_table" "intra" {
  for_each = local.made
  vpc_id   = aws_vpc.this[each.key].id
  tags     = merge(local.tags, { Name = "${var.vpc_name}-intra", "cloudwright:part" = "intra/${each.key}" })
}

resource "aws_route_table_association" "public" {
  for_each       = local.public
  subnet_id      = aws_subnet.public[each.key].id
  route_table_id = aws_route_table.public["network"].id
}

resource "aws_route_table_association" "private" {
  for_each       = local.private
  subnet_id      = aws_subnet.private[each.key].id
  route_table_id = aws_route_table.private[each.key].id
}

resource "aws_route_table_association" "intra" {
  for_each       = local.intra
  subnet_id      = aws_subnet.intra[each.key].id
  route_table_id = aws_route_table.intra["network"].id
}
