"""A FastAPI service: a coupon for one person, redeemed by two."""

import asyncio

from fastapi import FastAPI, HTTPException

app = FastAPI()
redeemed = False


@app.post("/redeem")
async def redeem():
    global redeemed
    if redeemed:
        raise HTTPException(409)
    await asyncio.sleep(0.05)  # the database
    redeemed = True
    return {"discount": 10}
