"""Rows of a table of profiles, as far as the demonstration reads them."""


def profile(name, *, topics=("t",), prices=(), rate=1.0, **attributes):
    """One publisher; every price is one of its contents."""
    fixed = sorted(attributes.items())
    contents = [
        {"topic": topic, "attributes": [*fixed, ("price", str(price))], "weight": 1 / len(prices)}
        for topic in topics
        for price in prices
    ]
    plain = [{"topic": topic, "attributes": fixed, "weight": 1.0} for topic in topics]
    return {"publisher": name, "rate": rate, "contents": contents or plain}
