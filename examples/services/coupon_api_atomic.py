"""The coupon is marked before the database is asked; if that fails, it is valid again."""

from fastapi import FastAPI, HTTPException

app = FastAPI()
redeemed = False


@app.post("/redeem")
async def redeem():
    global redeemed
    if redeemed:
        raise HTTPException(409)
    redeemed = True
    await database.store("redeemed")
    return {"discount": 10}
