# In v0.1.0 these resources always existed. They are optional now, so their addresses have a key.
moved {
  from = aws_vpc.this
  to   = aws_vpc.this["network"]
}

moved {
  from = aws_internet_gateway.this
  to   = aws_internet_gateway.this["network"]
}

moved {
  from = aws_route_table.public
  to   = aws_route_table.public["network"]
}

moved {
  from = aws_route_table.intra
  to   = aws_route_table.intra["network"]
}
